"""What is told of a server beside its own notifications."""

MISSED = "periplus/missed"
"""Changes of its lists may have gone unheard."""

CHANGES = frozenset(
    {
        "notifications/tools/list_changed",
        "notifications/resources/list_changed",
        "notifications/prompts/list_changed",
        MISSED,
    }
)
"""All that makes a listing worth reading again."""
