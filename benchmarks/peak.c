// As many independent multiply-adds as a processor can do at once: sixteen registers of eight doubles.
typedef double lanes __attribute__((vector_size(64)));

double peak(long n_rounds)
{
    lanes sum[16], factor = {0}, term = {0};
    for (int i = 0; i < 8; i++) {
        factor[i] = 0.999;
        term[i] = 1e-3 * i;
    }
    for (int r = 0; r < 16; r++)
        sum[r] = term + r;
    for (long n = 0; n < n_rounds; n++)
        for (int r = 0; r < 16; r++)
            sum[r] = sum[r] * factor + term;
    double total = 0;
    for (int r = 0; r < 16; r++)
        for (int i = 0; i < 8; i++)
            total += sum[r][i];
    return total;
}
