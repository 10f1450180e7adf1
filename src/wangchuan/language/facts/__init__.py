"""What a sentence says of somebody: the rules of the offline observer."""
