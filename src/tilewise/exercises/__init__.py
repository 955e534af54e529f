"""Floor 0: exercises: functions to write, with the tests that grade them.

An exercise is a module of this package:

SOLUTION   the function, as one may write it; its module's section `solution` is shown
WRONG      solutions that look right, each with a mistake that the checks must find: its
           name, what is wrong, and below it "old → new" for each change of SOLUTION
START      the name of the wrong one that the reader is given to mend, if there is one
cases()    yields (check, arguments, expected): the checks' names are in texts/, and
           what is expected never comes from SOLUTION
ONCE       the arguments, by position, that are handed over as iterators

`grading.grade` runs a reader's source against the cases. Plain Python, since the page
runs the same files; texts/LANG/NAME.md says in words what is asked.
"""

PARTS = (
    ("why", "traffic_standard".split()),
    ("softmax", "safe_softmax online_state attention_row merge merge_lse".split()),
    (
        "flash-attention",
        "smallest_block block_sizes tile_step delta weights_again score_gradients"
        " traffic_flash1 flash2_row sink_row tile_kind tile_lists".split(),
    ),
    ("gpu", "paged_row".split()),
    ("memory", "packed_row latent_row".split()),
    (
        "pitfalls",
        "bug_last_tile bug_rescale bug_mask bug_hidden_tile bug_base_two"
        " block_scales".split(),
    ),
)
NAMES = tuple(name for _, names in PARTS for name in names)


def load(name):
    """The module of an exercise; KeyError if there is none of this name."""
    if name not in NAMES:
        raise KeyError(name)
    return __import__("tilewise.exercises." + name, None, None, ("cases",))
