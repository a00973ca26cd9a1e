"""Streamable HTTP of revision 2025-11-25: one endpoint, sessions, and streams that can be resumed."""

from __future__ import annotations

from mcp_tasks_reference.transports.http.serving import serve_http

__all__ = ["serve_http"]
