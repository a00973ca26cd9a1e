"""What a tool asks the client, before it is addressed to anybody."""

from __future__ import annotations

from mcp_tasks_reference.arguments import flaw_in
from mcp_tasks_reference.jsonrpc import JsonObject
from mcp_tasks_reference.session import Session
from mcp_tasks_reference.tools import ToolFailure

ELICITATION = "elicitation/create"
SAMPLING = "sampling/createMessage"


class Questions:
    """Words requests to the client, and asks for nothing that the client did not declare."""

    def elicitation(self, session: Session, message: str, schema: JsonObject) -> JsonObject:
        """The params of a form elicitation.

        Raises:
            ToolFailure: the client declared no elicitation of forms.
        """
        if not self.may_elicit(session):
            raise ToolFailure("This tool needs input, but the client did not declare elicitation of forms")
        return {"mode": "form", "message": message, "requestedSchema": schema}

    def sampling(self, session: Session, prompt: str, max_tokens: int) -> JsonObject:
        """The params of a sampling.

        Raises:
            ToolFailure: the client declared no sampling.
        """
        if not self.may_sample(session):
            raise ToolFailure("This tool needs a model, but the client did not declare sampling")
        return {
            "messages": [{"role": "user", "content": {"type": "text", "text": prompt}}],
            "maxTokens": max_tokens,
        }

    def may_elicit(self, session: Session) -> bool:
        """Whether the client takes form elicitations."""
        return session.can_elicit_forms()

    def may_sample(self, session: Session) -> bool:
        """Whether the client takes samplings."""
        return session.can("sampling")


def accepted_content(answer: JsonObject, schema: JsonObject) -> JsonObject | None:
    """What the user filled in, or none where the form was declined or cancelled.

    Raises:
        ToolFailure: the content is not what was asked for.
    """
    if answer.get("action") in ("decline", "cancel"):
        return None
    if answer.get("action") != "accept":
        raise ToolFailure("The client's answer names no known action")
    content = answer.get("content")
    flaw = flaw_in(content, schema, "content")
    if flaw is not None or not isinstance(content, dict):
        raise ToolFailure(f"The client's answer does not fit the form: {flaw}")
    return content
