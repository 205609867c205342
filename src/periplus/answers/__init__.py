"""What an upstream answered over HTTP becomes a value, or a refusal in its own words. Shared by the transports.

`read` does it all; who reads bodies in a way of their own (GraphQL) takes `receive`, then `answer_of` or `refusal`.
"""

from periplus.answers.files import file_value
from periplus.answers.reading import answer_of, read
from periplus.answers.received import Asked, Received, receive
from periplus.answers.refusals import refusal
from periplus.answers.values import json_value

__all__ = ["Asked", "Received", "answer_of", "file_value", "json_value", "read", "receive", "refusal"]
