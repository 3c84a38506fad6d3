#!/usr/bin/env bash
# transformers 4.57.3, AutoTokenizer.from_pretrained(gguf_file=…): a Gemma tokenizer in a GGUF file
# cuts words in another way than the scores in the file say; a model that is loaded so reads text
# as it never saw it. Gemma 3 270M told our stories and Shakespeare with 6.2 nats a token of its
# wrong tokens.
#
# Guess before the run, after a first look at the real file: one token as Llama's, five as Gemma's.
# Behaviour: the same tokens and scores are one token, "▁capital", if the file says that it holds a
# Llama, and "▁c ap it al" if it says Gemma 3. No warning.
# Why one expects otherwise: tokenizer.ggml.model is "llama" in both, so of neighbours those of the
# best score merge. Gemma's scores are ranks, 0, -1, -2, …; they are read as logarithms of
# probabilities of a Unigram model, in which four common pieces (-10 in all) beat a rarer word.
# Source: transformers/integrations/ggml.py, GGUFGemmaConverter.converted.
# Output seen: "llama it ▁capital" and "gemma3 ▁c ap it al".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
cd "$folder"
venv/bin/pip install --quiet torch==2.13.0 transformers==4.57.3 gguf==0.17.1 numpy==2.2.6
venv/bin/python - <<'PYTHON' | tee seen
from gguf import GGUFWriter
from transformers import AutoTokenizer

merged = "▁c al it ap the and of to ital apital ▁capital".split()
words = ["<pad>", "<eos>", "<bos>", "<unk>", *merged, *"▁capitl"]
for kind in ("llama", "gemma3"):
    writer = GGUFWriter(f"{kind}.gguf", kind)
    writer.add_tokenizer_model("llama")
    writer.add_token_list(words)
    writer.add_token_scores([0.0] * 4 + [-float(rank) for rank in range(len(words) - 4)])
    writer.add_token_types([3] * 4 + [1] * (len(words) - 4))
    writer.add_add_space_prefix(False)
    writer.add_bos_token_id(2)
    writer.add_eos_token_id(1)
    writer.add_unk_token_id(3)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    tokenizer = AutoTokenizer.from_pretrained(".", gguf_file=f"{kind}.gguf")
    print(kind, *tokenizer.tokenize("it capital")[-4:])
PYTHON
diff seen - <<'SEEN'
llama it ▁capital
gemma3 ▁c ap it al
SEEN
