"""Where does assay meet other libraries? A module or package each, imported only when used."""
