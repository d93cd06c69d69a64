"""The documentation: pages, how they are made (`docs.pages`), and the scripts of the gallery."""
