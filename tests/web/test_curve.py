"""The base-score curve as a step line."""

from coordinator.web.curve import draw_curve


def test_no_steps_no_curve() -> None:
    assert draw_curve([], 1000) is None


def test_one_step_is_a_level_line() -> None:
    curve = draw_curve([(0, 10)], 60_000)
    assert curve
    assert curve.line == "M0 13.0H1000"
    assert [mark.text for mark in curve.heights] == ["10"]
    assert [mark.text for mark in curve.times] == ["0:00", "0:30", "1:00"]


def test_steps_go_right_then_up() -> None:
    curve = draw_curve([(0, 10), (30_000, 20)], 60_000)
    assert curve
    assert curve.line == "M0 56.5H500.0V13.0H1000"
    assert curve.area == curve.line + "V100H0Z"
    assert [(mark.at, mark.text) for mark in curve.heights] == [(13.0, "20"), (56.5, "10")]


def test_a_curve_of_no_length_can_be_drawn() -> None:
    assert draw_curve([(5_000, 10)], 5_000)
    assert draw_curve([(5_000, 0)], 0)


def test_words_do_not_stand_on_one_another() -> None:
    curve = draw_curve([(0, 50), (10_000, 275), (20_000, 60)], 60_000)
    assert curve
    assert [mark.text for mark in curve.heights] == ["60", "275"], "50 would stand on 60"
