"""The latest rows of a stream in a ring: what Python does with its arrays (see ring_layout.py)."""

cimport numpy as cnp

from .pointers cimport doubles, integers


cdef void bind_ring(ring_t* r, dict arrays):
    cdef cnp.ndarray X = arrays["X"], y = arrays["y"]
    r.room, r.width = y.shape[0], X.shape[1]
    r.span = <span_t*> integers(arrays["span"])
    r.X, r.y, r.w = doubles(X), integers(y), doubles(arrays["w"])


def appended(dict arrays, const double[:, ::1] X, const Py_ssize_t[::1] y, const double[::1] w,
             Py_ssize_t most):
    """Return the arrays of a ring with these rows at its end, and its oldest rows dropped beyond `most`.

    The memory is shared, except for the span: what `arrays` holds stays as it is for as long as there is room
    for its rows and the new ones.
    """
    cdef ring_t ring
    cdef Py_ssize_t i
    arrays = arrays | {"span": arrays["span"].copy()}
    bind_ring(&ring, arrays)
    for i in range(X.shape[0]):
        append_row(&ring, &X[i, 0], y[i], w[i])
    while ring.span.count > most:
        drop_oldest(&ring)
    return arrays
