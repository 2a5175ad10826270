# Where the numbers of a NumPy array lie, whatever its shape. Reading an address allocates nothing and cannot
# fail for an array that was made or checked by its declaration (layout.py).

from libc.stdint cimport int64_t, uint64_t

cimport numpy as cnp


cdef inline void* memory(cnp.ndarray array, int kind, int other):
    # `kind` and `other` are NumPy's numbers of types: on some systems two have the same size.
    cdef int found = cnp.PyArray_TYPE(array)
    if not (found == kind or found == other) or not cnp.PyArray_IS_C_CONTIGUOUS(array):
        raise TypeError(f"a kernel's array has numbers of type {array.dtype}, which is another than it uses")
    return cnp.PyArray_DATA(array)


cdef inline double* doubles(cnp.ndarray array):
    return <double*> memory(array, cnp.NPY_DOUBLE, cnp.NPY_DOUBLE)


cdef inline Py_ssize_t* integers(cnp.ndarray array):
    return <Py_ssize_t*> memory(array, cnp.NPY_INTP, cnp.NPY_INT64)


cdef inline int64_t* int64s(cnp.ndarray array):
    return <int64_t*> memory(array, cnp.NPY_INT64, cnp.NPY_LONGLONG)


cdef inline int* ints(cnp.ndarray array):
    return <int*> memory(array, cnp.NPY_INT, cnp.NPY_INT32)


cdef inline uint64_t* words(cnp.ndarray array):
    return <uint64_t*> memory(array, cnp.NPY_UINT64, cnp.NPY_ULONGLONG)


cdef inline char* flags(cnp.ndarray array):
    return <char*> memory(array, cnp.NPY_INT8, cnp.NPY_BYTE)
