"""Training rows made by rule over permissively licensed passages, and over records made up here."""
