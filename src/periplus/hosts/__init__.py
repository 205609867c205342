"""Wires that carry any face. A host decodes, asks the face, encodes; it knows no protocol's words."""
