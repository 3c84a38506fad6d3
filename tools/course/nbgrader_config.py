"""How nbgrader works with this course; run its commands in this folder."""

import logging
import sys
import warnings
from pathlib import Path

c = get_config()  # type: ignore[name-defined]  # noqa: F821  (nbgrader provides it)

sys.path.insert(0, str(Path(__file__).parent))  # for the plugins beside this file
c.CourseDirectory.course_id = "why-sqrt-d"

# The notebooks in source/ hold no solutions: nothing has to be cut out of the answer cells.
steps = "IncludeHeaderFooter LockCells ClearOutput CheckCellMetadata ComputeChecksums SaveCells"
steps += " ClearHiddenTests ComputeChecksums CheckCellMetadata"
c.GenerateAssignment.preprocessors = [f"nbgrader.preprocessors.{step}" for step in steps.split()]

# Hand-ins as Canvas and Moodle name them; the originals stay in downloaded/…/archive.
c.ZipCollectApp.extractor_plugin = "hand_ins.HandIns"
c.ZipCollectApp.force = True
c.FileNameCollectorPlugin.named_regexp = (
    r".*[/\\](?P<student_id>[^/\\]+)[/\\](?P<file_id>[^/\\]+)\.ipynb$"
)

# A cell may run for a minute, then it is interrupted and the rest goes on.
c.ExecutePreprocessor.timeout = 60
c.Execute.timeout = 60
c.Execute.extra_arguments = ["--HistoryManager.hist_file=:memory:", "--log-level=40"]

# Every check cell gets its grading line back, which is no news; nor are nbgrader's own warnings.
warnings.filterwarnings("ignore", module="nbgrader")
logging.getLogger("AutogradeApp").addFilter(
    lambda record: "'checksum' for cell check_" not in record.getMessage()
)

c.GenerateFeedback.exporter_class = "results.FeedbackPage"
c.ExportApp.plugin_class = "results.Grades"
