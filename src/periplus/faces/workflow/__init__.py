"""The workflow protocol: orchestrators and workers walk through a definition, piece by piece, past its checkpoints."""

from periplus.faces.workflow.face import WorkflowFace

ADAPTER = WorkflowFace

__all__ = ["ADAPTER", "WorkflowFace"]
