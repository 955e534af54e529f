"""Triton's interpreter, without what it does again in each call of a helper.

A launch puts the interpreter's functions in the place of Triton's, and takes them away
again. The call of a helper within it looks through all of triton.language to do the
same, which took half of the time.
"""

import triton.language as tl
from triton.runtime import interpreter


def patched_once(patch=interpreter._patch_lang):
    """From here on a helper finds what the launch has put in place."""

    def missing(fn):
        seen = [x for x in fn.__globals__.values() if x is tl or x is tl.core]
        done = seen and not any(tl.core.is_builtin(x.load) for x in seen)
        return interpreter._LangPatchScope() if done else patch(fn)

    interpreter._patch_lang = missing
