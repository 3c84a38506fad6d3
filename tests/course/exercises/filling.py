"""Gives answers through the controls of a form."""

from why_sqrt_d.exercises import Choice, Order


def answer_in(page, exercise, answer):
    """Give an answer through the form's own controls."""
    form = page.locator(f"#exercise-{exercise.id.replace('.', '-')}")
    kind = exercise.kind
    if isinstance(kind, Choice):
        form.locator(f"input[value='{answer}']").check()
    elif isinstance(kind, Order):
        for place, letter in enumerate(answer):
            for _ in range(30):
                now = form.locator("li").evaluate_all("a => a.map(x => x.dataset.letter)")
                if now.index(letter) <= place:
                    break
                form.get_by_role("button", name=f"Up: step {letter}").click()
    else:
        form.locator("input").fill(answer)
    form.get_by_role("button", name="Check").click()
    return form.get_by_role("status").inner_text()
