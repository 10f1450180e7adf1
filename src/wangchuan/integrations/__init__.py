"""Wangchuan in the frameworks people use: one module for each of them."""
