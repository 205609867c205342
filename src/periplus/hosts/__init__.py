"""Wires that carry any face. A host decodes, asks the face, encodes; it knows no protocol's words."""

from periplus.hosts.sparing import open_sparingly

open_sparingly("mcp", "mcp.server")  # the SDK's packages import its client and its own framework, which no host needs
