"""The JSON document of an answer. Scripts and agents rely on its keys."""

from codecairn.ask.answer import Answer
from codecairn.documents import plain_document


def answer_document(answer: Answer) -> dict[str, object]:
    """The document of an answer, with what it covers."""
    coverage = [
        {"name": each.name, "is_covered": each.is_covered, "sources": list(each.sources)}
        for each in answer.aspects
    ]
    return {
        "question": answer.question,
        "profile": answer.profile,
        "token_budget": answer.token_budget,
        "tokens": answer.tokens,
        "pieces": [plain_document(piece) for piece in answer.pieces],
        "coverage": coverage,
        "unknown_words": list(answer.unknown_words),
        "searches": answer.searches,
        "notes": list(answer.notes),
    }
