"""Language models behind one seam, and the one that is built in."""
