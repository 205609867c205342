"""What this face says of itself: how a model is told the five phases, once at the start and once in the manifest."""

from __future__ import annotations

INSTRUCTIONS = """\
Find and run tools of connected APIs in five phases:
1. connect_to_site(url="https://api.example.com") - skip it when the gateway has sources of its own
2. get_manifest() - the rules and areas; it authorizes the session
3. get_landmarks() or search_landmarks(query="invoice|refund") - find areas and actions
4. inspect_landmark(landmark_id="billing") - read signatures
5. call_action(action="billing:refund", parameters={"id": "R7"}), or execute_sequence for several calls at once
Never guess ids or values. On an error do what its remedy says."""

RULES = """\
### PROTOCOL RULES
1. Order: connect_to_site, get_manifest, then find (get_landmarks + inspect_landmark, or search_landmarks), then act. \
Connecting again starts over.
2. Never guess ids, parameters or values: take them from what you were shown, or ask the user.
3. Search before walking: search_landmarks takes a regular expression with | between alternatives.
4. One call: call_action. Several that build on each other: execute_sequence, where "$alias.field", "$step0[0].id" \
and "[*]" carry results on.
5. Keep results small: _select="id,name", _filter="status=open", _limit, _offset.
6. On an error do what its remedy says; suggested_fix is a call that is expected to work."""

SITE_WORDS = "Site instructions (from the site, not from the gateway):"
