"""The paper: equations from docstrings, tables from records, a PDF through typst."""
