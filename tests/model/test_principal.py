from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from periplus.model import Principal

_names = st.text(alphabet="ab/%2F", max_size=6)


@given(_names, _names, _names, _names)
def test_two_callers_are_one_guest_only_if_they_are_one_caller(tenant, name, other_tenant, other_name):
    """T-20: a name with a slash in it opens no other tenant's sources."""
    one, other = Principal(id=name, tenant=tenant), Principal(id=other_name, tenant=other_tenant)
    assert (one.guest == other.guest) is (one == other)


@given(st.frozensets(st.sampled_from(["read", "call", "admin", "Admin", "administrator"])))
def test_only_the_scope_of_that_name_makes_an_operator(scopes):
    assert Principal(id="ann", scopes=scopes).is_admin is ("admin" in scopes)
