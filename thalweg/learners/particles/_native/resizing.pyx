"""Batches of a particle filter that adapt their size: would half of this one have been better?

Before a batch is learned, its particles are scored on its first half alone, and the mean of the best is
tested on the second half beside the centre β*, which predicted it:

    g = hits of the trial − hits of β*, on the second half                                  (1)
    the size is halved if Σ g > 2 √Σ g², and doubled if Σ g < −2 √Σ g²; the sums then begin again   (2)

The trial is fresher than β* and learned from fewer rows, as all centres are if batches are smaller. But where
small batches have made β* itself bad, no trial on still fewer rows shows it: so the size is also doubled if
400 batches have not decided, and halved again if that was wrong.
"""

from .state cimport filter_t, trials_t
from .steps cimport hits_of, pack, try_step

cdef enum:
    LEAST_SIZE = 4
    PATIENCE = 400          # batches


cdef bint try_half(filter_t* f, double* gain) noexcept nogil:
    cdef Py_ssize_t half = 0, n = f.rows.span.count
    cdef double weight = f.rows.w[0]
    cdef bint done
    gain[0] = 0.0
    while half < n - 1 and 2 * weight <= f.measures.buffered:
        half += 1
        weight += f.rows.w[half]
    if half == 0:
        return True
    pack(f, 0, half)
    done = try_step(f, f.next_centre)
    if done:
        pack(f, half, n)
        gain[0] = hits_of(f, f.next_centre) - hits_of(f, f.centre)                              # (1)
    pack(f, 0, n)
    return done


cdef void resize(filter_t* f, double gain) noexcept nogil:
    cdef double total
    cdef bint shrinks, grows
    f.trials.gain += gain
    f.trials.squares += gain * gain
    f.trials.n_batches += 1
    total = f.trials.gain
    shrinks = total > 0 and total * total > 4 * f.trials.squares
    grows = total < 0 and total * total > 4 * f.trials.squares
    if not (shrinks or grows or f.trials.n_batches >= PATIENCE):
        return
    f.trials[0] = trials_t(0.0, 0.0, 0.0)
    if shrinks:
        f.size[0] = max(f.size[0] // 2, min(LEAST_SIZE, f.batch_size))                          # (2)
    else:
        f.size[0] = min(2 * f.size[0], f.batch_size)
