"""Model servers that people use, so that nobody has to look up an address."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Preset:
    """One kind of server. `model` is an example of how it names its models; `help` is one sentence for its user."""

    name: str
    label: str
    base_url: str
    needs_key: bool
    model: str
    help: str


PRESETS = (
    Preset(
        "openai",
        "OpenAI",
        "https://api.openai.com/v1",
        True,
        "gpt-5-mini",
        "Make a key in the settings of your OpenAI account, under API keys.",
    ),
    Preset(
        "gemini",
        "Gemini",
        "https://generativelanguage.googleapis.com/v1beta/openai",
        True,
        "gemini-2.5-flash",
        "Make a key in Google AI Studio.",
    ),
    Preset(
        "ollama",
        "Ollama",
        "http://localhost:11434/v1",
        False,
        "qwen3:8b",
        "Load the model with “ollama pull”, and give it a context of 16,000 tokens or more: it starts with far less.",
    ),
    Preset(
        "vllm",
        "vLLM",
        "http://localhost:8000/v1",
        False,
        "Qwen/Qwen3-8B",
        "The model is named as it was to “vllm serve”; give a key if the server was started with one.",
    ),
    Preset(
        "lmstudio",
        "LM Studio",
        "http://localhost:1234/v1",
        False,
        "qwen3-8b",
        "Start its server and load the model with a context of 16,000 tokens or more.",
    ),
    Preset(
        "openrouter",
        "OpenRouter",
        "https://openrouter.ai/api/v1",
        True,
        "qwen/qwen3-32b",
        "Make a key in the settings of your OpenRouter account; models are named maker/model.",
    ),
    Preset(
        "custom",
        "Another server",
        "",
        False,
        "",
        "Any address that speaks OpenAI's chat completions; it usually ends in /v1.",
    ),
)


def preset(name: str) -> Preset | None:
    """The preset of this name; None for a name that is none."""
    return next((found for found in PRESETS if found.name == name), None)


def model_address(*, provider: str, model: str, given: str) -> str:
    """Where the model of the settings answers: the address given, else that of the provider's preset, else OpenAI's.

    ValueError says what is missing when a provider is named and the rest does not do.
    """
    found = preset(provider or "openai")
    if found is None:
        raise ValueError(f"VECTORLESS_PROVIDER must be one of {', '.join(known.name for known in PRESETS)}.")
    if provider and not model:
        example = f", for example VECTORLESS_MODEL={found.model}" if found.model else ""
        raise ValueError(f"VECTORLESS_PROVIDER={provider} needs VECTORLESS_MODEL too{example}.")
    if model and not (given or found.base_url):
        raise ValueError(f"VECTORLESS_PROVIDER={provider} needs OPENAI_BASE_URL, the address of its server.")
    return given or found.base_url
