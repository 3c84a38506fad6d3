"""Python processes of the tests start without what costs them seconds and serves none.

Every import of nbformat prepares a parser of international addresses, for a format that the
schema of notebooks does not name: jsonschema does without when it cannot be imported.
"""

import sys

sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]
