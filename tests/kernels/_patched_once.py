"""Triton's interpreter, without what it does again in each call of a helper.

A launch puts the interpreter's functions in the place of Triton's, and takes them away
again. The call of a helper within it looks through all of triton.language to do the
same, which took half of the time.
"""

import triton.language as tl
from triton.runtime import interpreter


def patched_once():
    """From here on a helper finds what the launch has put in place.

    A Triton that does this in another way is left as it is.
    """
    patch = getattr(interpreter, "_patch_lang", None)
    scope = getattr(interpreter, "_LangPatchScope", None)
    if not patch or not scope:
        return

    def missing(fn):
        seen = [x for x in fn.__globals__.values() if x is tl or x is tl.core]
        done = seen and not any(tl.core.is_builtin(x.load) for x in seen)
        return scope() if done else patch(fn)

    interpreter._patch_lang = missing
