# Where the numbers of a NumPy array lie, whatever its shape; refused if their type or order is another.

from cpython.buffer cimport (
    PyBUF_C_CONTIGUOUS, PyBUF_FORMAT, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer,
)
from libc.stdint cimport uint64_t


cdef inline void* memory(array, bytes kinds, Py_ssize_t size):
    cdef Py_buffer view
    PyObject_GetBuffer(array, &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | PyBUF_WRITABLE)
    cdef bint fits = view.format[0] in kinds and view.itemsize == size
    PyBuffer_Release(&view)
    if not fits:
        raise TypeError(f"a kernel's array has numbers of type {array.dtype}, which is another than it uses")
    return view.buf


cdef inline double* doubles(array):
    return <double*> memory(array, b"d", sizeof(double))


cdef inline Py_ssize_t* integers(array):
    return <Py_ssize_t*> memory(array, b"ilq", sizeof(Py_ssize_t))


cdef inline int* ints(array):
    return <int*> memory(array, b"il", sizeof(int))


cdef inline uint64_t* words(array):
    return <uint64_t*> memory(array, b"LQ", sizeof(uint64_t))


cdef inline char* flags(array):
    return <char*> memory(array, b"bB", sizeof(char))
