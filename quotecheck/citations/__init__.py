"""Answers with citations: response shapes, markers, sentences, and the review of what they cite."""
