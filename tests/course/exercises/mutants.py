"""Wrong functions made from a right one by program: one change each, in its source."""

import ast
import copy
from collections.abc import Iterator

OPERATORS = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div, ast.Add),
    ast.Div: (ast.Mult,),
    ast.MatMult: (ast.Mult,),
    ast.Pow: (ast.Mult,),
}
FUNCTIONS = {
    "mean": ("sum", "median", "max"),
    "sum": ("mean", "max"),
    "max": ("min", "mean"),
    "min": ("max",),
    "exp": ("exp2", "expm1"),
    "sqrt": ("square", "abs"),
    "tanh": ("arctan", "sin"),
    "nanargmax": ("argmax", "nanargmin", "argmin"),
    "argsort": ("argmin",),
    "var": ("std",),
    "trace": ("sum", "max"),
    "softmax": ("log_softmax",),
}
RESULTS = ("abs({})", "-({})", "2 * ({})", "np.float16({})", "np.round({}, 2)", "int({})")
CASTS = (
    "{}.astype(np.int64)",
    "{}.astype(np.float16)",
    "{}.astype(np.float32)",
    "np.abs({})",
    "np.sort({}, axis=0)",
    "np.sort({}, axis=-1)",
    "{}.round(1)",
    "{}.clip(-25, 25)",
    "{}.clip(-1e4, 1e4)",
    "np.maximum({}, 0)",
    "np.broadcast_to({}[:1], {}.shape)",
    "np.broadcast_to({}.mean(axis=0, keepdims=True), {}.shape)",
    "{}[..., ::-1]",
    "np.nan_to_num({})",
    "np.eye({}.shape[0], {}.shape[-1])",
)


def mutants(source: str) -> Iterator[tuple[str, str]]:
    """Yield a description and a source for each single change."""
    seen = {ast.unparse(ast.parse(source))}
    tree = ast.parse(source)
    function = tree.body[-1]
    parameters = [a.arg for a in function.args.args]
    arrays = [p for p in parameters if p not in ("scale", "heads", "cap", "axis", "n")]
    lengths = {id(n) for call in ast.walk(tree) if _is_len(call) for n in ast.walk(call)}
    for index, node in enumerate(ast.walk(tree)):
        if id(node) in lengths:
            continue  # whatever its numbers are, an array keeps its shape
        for new in changes(node, parameters, arrays):
            text = ast.unparse(replaced(tree, index, new))
            if text not in seen:
                seen.add(text)
                yield f"{ast.unparse(node)} → {ast.unparse(new)}", text
    for name in arrays:
        for way in (f"{name}.sort(axis=-1)", f"{name} *= 1.5", f"{name}[...] = 0"):
            changed = copy.deepcopy(tree)
            body = changed.body[-1].body
            body[-1:] = ast.parse("result = 0").body + ast.parse(way).body + body[-1:]
            body[-3].value, body[-1].value = body[-1].value, ast.Name("result")
            yield f"{way} after use", ast.unparse(ast.fix_missing_locations(changed))


def replaced(tree: ast.Module, index: int, new: ast.AST) -> ast.Module:
    """Return a copy of the tree with the node of that index replaced."""
    made = copy.deepcopy(tree)
    target = list(ast.walk(made))[index]

    class Swap(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            return new if node is target else self.generic_visit(node)

    return ast.fix_missing_locations(Swap().visit(made))


def changes(node: ast.AST, parameters: list[str], arrays: list[str]) -> Iterator[ast.AST]:
    """Yield what may stand in a node's place."""
    if isinstance(node, ast.BinOp):
        for operator in OPERATORS.get(type(node.op), ()):
            yield ast.BinOp(node.left, operator(), node.right)
        yield node.left
        yield node.right
    if isinstance(node, ast.UnaryOp):
        yield node.operand
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        for value in {0, 1, 2, node.value + 1} - {node.value}:
            yield ast.Constant(value)
    if isinstance(node, ast.Call):
        for other in FUNCTIONS.get(getattr(node.func, "attr", ""), ()):
            if other == "median" and getattr(node.func.value, "id", "") != "np":
                yield _parsed(f"np.median({ast.unparse(node.func.value)}, axis=-1)")
            else:
                called = ast.Attribute(node.func.value, other, ast.Load())
                yield ast.Call(called, node.args, node.keywords)
        for keyword in node.keywords:
            rest = [k for k in node.keywords if k is not keyword]
            yield ast.Call(node.func, node.args, rest)
            if keyword.arg == "axis":
                for axis in ("0", "None"):
                    other = ast.keyword("axis", _parsed(axis))
                    yield ast.Call(node.func, node.args, [*rest, other])
        yield from (a for a in node.args if not isinstance(a, ast.Starred | ast.Constant))
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in parameters:
        for other in parameters:
            if other != node.id:
                yield ast.Name(other, ast.Load())
        if node.id in arrays:
            for cast in CASTS:
                yield _parsed(cast.replace("{}", node.id))
        else:
            yield from (_parsed(f"abs({node.id})"), _parsed(f"round({node.id})"), _parsed("1"))
    if isinstance(node, ast.Attribute) and node.attr == "T":
        yield node.value
    if isinstance(node, ast.Return) and node.value is not None:
        value = ast.unparse(node.value)
        for way in RESULTS:
            yield ast.parse(f"return {way.format(value)}").body[0]


def _is_len(node: ast.AST) -> bool:
    shape = isinstance(node, ast.Attribute) and node.attr == "shape"
    return shape or (isinstance(node, ast.Call) and getattr(node.func, "id", "") == "len")


def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body
