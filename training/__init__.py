"""How the models and numbers that ship with assay are made; not part of the wheel."""
