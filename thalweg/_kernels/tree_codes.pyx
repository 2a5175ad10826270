"""Numbers that stand for something in the arrays of a Hoeffding tree: see tree_codes.pxd."""
