"""The kinds of columns, found from their first rows."""

from thalweg.streams import from_file


def test_a_column_of_0_and_1_is_a_flag_from_fifty_rows_on(tmp_path):
    path = tmp_path / "rows.csv"
    for n, kinds in ((49, [0]), (50, [2])):
        path.write_text("late,y\n" + "".join(f"{i % 2},{'ab'[i % 3 % 2]}\n" for i in range(n)))
        assert from_file(path).n_categories.tolist() == kinds
