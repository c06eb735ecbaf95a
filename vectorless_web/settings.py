"""Settings, all from the environment; with none given, everything runs on one machine under `var/`."""

import hashlib
import os
import tempfile
from pathlib import Path

import environ

from vectorless_web.engine.llm.presets import model_address

env = environ.Env()
BASE_DIR = Path(__file__).resolve().parent.parent
VAR = Path(env.str("VECTORLESS_VAR", default=str(BASE_DIR / "var")))
VAR.mkdir(parents=True, exist_ok=True)


def _local_secret() -> str:
    """The installation's own random secret, made on first use and readable by its owner only."""
    path = VAR / "secret_key"
    if not path.exists():
        try:
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                file.write(os.urandom(48).hex())
        except FileExistsError:
            pass  # Another process of the same start won.
    return path.read_text()


def _private_folder(name: str) -> Path:
    """A 0700 folder for sockets, short enough for the 107 bytes that a unix socket's path may have."""
    folder = VAR / name
    if len(str(folder)) > 80:
        digest = hashlib.sha256(str(VAR).encode()).hexdigest()[:16]
        folder = Path(tempfile.gettempdir()) / f"vectorless-{os.getuid()}-{digest}"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


DEBUG = env.bool("DEBUG", default=False)
HTTPS = env.bool("VECTORLESS_HTTPS", default=False)
"""Set when the site is served over HTTPS: cookies and headers then insist on it."""

SECRET_KEY = env.str("SECRET_KEY", default="") or _local_secret()
ALLOWED_HOSTS = env.list("VECTORLESS_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("VECTORLESS_ORIGINS", default=[])

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "channels",
    "django_htmx",
    "django_rq",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "csp",
    "vectorless_web.lib",
    "vectorless_web.workspaces",
    "vectorless_web.documents",
    "vectorless_web.runs",
    "vectorless_web.sharing",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "vectorless_web.lib.problems.ProblemMiddleware",
]

ROOT_URLCONF = "vectorless_web.urls"
ASGI_APPLICATION = "vectorless_web.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "vectorless_web.lib.htmx.csp_nonce",
                "vectorless_web.lib.context.common",
            ]
        },
    }
]

# -- Data ------------------------------------------------------------------------------------------------------------

DATABASES = {"default": env.db_url("DATABASE_URL", default=f"sqlite:///{VAR / 'db.sqlite3'}")}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;",
    }
    # Tests start servers and workers of their own, which need a database that other processes can open.
    DATABASES["default"]["TEST"] = {"NAME": VAR / "test.sqlite3"}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

MEDIA_ROOT = VAR / "media"
STATIC_ROOT = VAR / "static"
STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": env.str("VECTORLESS_STATIC", default="whitenoise.storage.CompressedManifestStaticFilesStorage")
    },
}
WHITENOISE_ALLOW_ALL_ORIGINS = False

# -- Redis: queues, hints, cache -------------------------------------------------------------------------------------

SOCKETS = _private_folder("sockets")
EMBEDDED_REDIS = not env.str("REDIS_URL", default="")
REDIS_SOCKET = SOCKETS / "redis.sock"
REDIS_URL = env.str("REDIS_URL", default="") or f"unix://{REDIS_SOCKET}?db=0"

RQ_QUEUES = {
    "runs": {"URL": REDIS_URL, "DEFAULT_TIMEOUT": 900},
    "documents": {"URL": REDIS_URL, "DEFAULT_TIMEOUT": 1800},
}
RQ = {"COMMIT_MODE": "auto"}  # lib.jobs enqueues after the commit by itself.
WORKER_PRELOAD = {
    "runs": ["vectorless_web.runs.jobs", "vectorless_web.providers.openai_chat"],
    "documents": ["vectorless_web.documents.jobs"],
}
"""Modules a worker imports before it forks, so that a job's fork costs no import."""

CHANNEL_LAYERS = {
    "default": {
        "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
        # redis-py gives up on an idle socket after 5 s by default, which would close every quiet websocket.
        "CONFIG": {"hosts": [{"address": REDIS_URL, "socket_timeout": 30}], "prefix": "vectorless"},
    }
}
CACHES = {"default": {"BACKEND": "vectorless_web.lib.cache.PatientRedisCache", "LOCATION": REDIS_URL}}

# -- Sign-in ---------------------------------------------------------------------------------------------------------

AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
ACCOUNT_LOGIN_METHODS = {"email", "username"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "username*", "password1*"]
ACCOUNT_EMAIL_VERIFICATION = env.str("VECTORLESS_EMAIL_VERIFICATION", default="none")
ACCOUNT_LOGOUT_ON_GET = False
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_ADAPTER = "vectorless_web.workspaces.adapters.AccountAdapter"
SIGNUP_OPEN = env.bool("VECTORLESS_SIGN_UP", default=False)
"""Whether anyone may make an account; an invitation link always lets its holder in."""
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
_mail = env.email("EMAIL_URL", default="consolemail://")
EMAIL_BACKEND = _mail["EMAIL_BACKEND"]
EMAIL_HOST, EMAIL_PORT = _mail.get("EMAIL_HOST") or "localhost", _mail.get("EMAIL_PORT") or 25
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = _mail.get("EMAIL_HOST_USER") or "", _mail.get("EMAIL_HOST_PASSWORD") or ""
EMAIL_USE_TLS, EMAIL_USE_SSL = _mail.get("EMAIL_USE_TLS", False), _mail.get("EMAIL_USE_SSL", False)
DEFAULT_FROM_EMAIL = env.str("VECTORLESS_MAIL_FROM", default="vectorless@localhost")

PROXIES = env.int("VECTORLESS_PROXIES", default=0)
"""How many proxies of our own stand in front; so many entries of X-Forwarded-For are believed."""

SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SESSION_COOKIE_HTTPONLY = True
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_SSL_REDIRECT = HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
        "base-uri": ["'none'"],
        "manifest-src": ["'self'"],
    }
}

# -- Language --------------------------------------------------------------------------------------------------------

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True
USE_THOUSAND_SEPARATOR = True

# -- Limits and places of the product --------------------------------------------------------------------------------

MODEL = env.str("VECTORLESS_MODEL", default="")
"""A chat model for every workspace that has chosen none; without one the offline reasoner answers."""
try:
    OPENAI_BASE_URL = model_address(
        provider=env.str("VECTORLESS_PROVIDER", default=""),
        model=MODEL,
        given=env.str("OPENAI_BASE_URL", default=""),
    )
except ValueError as error:
    raise SystemExit(str(error)) from None
OPENAI_API_KEY = env.str("OPENAI_API_KEY", default="")
MODEL_PRICE_IN = env.float("VECTORLESS_MODEL_PRICE_IN", default=0.0)
MODEL_PRICE_OUT = env.float("VECTORLESS_MODEL_PRICE_OUT", default=0.0)
"""US dollars per million tokens."""
MODEL_FACTORY = env.str("VECTORLESS_MODEL_FACTORY", default="vectorless_web.providers.openai_chat.OpenAIChat")
"""Dotted path of what makes a chat model of an endpoint, and of `stopping`, which ends a call under way."""
CASSETTE = env.str("VECTORLESS_CASSETTE", default="")
"""A file of recorded replies (`manage.py ask --record`) that stands in for every model of the site."""
MODEL_SECONDS = env.float("VECTORLESS_MODEL_SECONDS", default=60.0)
MODEL_RETRIES = env.int("VECTORLESS_MODEL_RETRIES", default=2)
MODEL_STEP_TOKENS = env.int("VECTORLESS_MODEL_STEP_TOKENS", default=1500)
MODEL_ANSWER_TOKENS = env.int("VECTORLESS_MODEL_ANSWER_TOKENS", default=3000)
"""Most tokens of a reply that plans a step, and of one that writes the answer, what a model thinks before included."""

UPLOAD_MAX_BYTES = env.int("VECTORLESS_UPLOAD_MAX_BYTES", default=200 * 2**20)
WORKSPACE_MAX_BYTES = env.int("VECTORLESS_WORKSPACE_MAX_BYTES", default=0)
UPLOAD_MAX_FILES = env.int("VECTORLESS_UPLOAD_MAX_FILES", default=100)
UPLOADS_PER_HOUR = env.int("VECTORLESS_UPLOADS_PER_HOUR", default=5000)
"""Files that one person may upload in an hour."""
REPLAYS_PER_HOUR = env.int("VECTORLESS_REPLAYS_PER_HOUR", default=60)
"""Runs that one person may have replayed in an hour: each may take a worker two minutes."""
DATA_UPLOAD_MAX_NUMBER_FILES = UPLOAD_MAX_FILES
DATA_UPLOAD_MAX_MEMORY_SIZE = 5 * 2**20
COMPILE_MEMORY_BYTES = env.int("VECTORLESS_COMPILE_MEMORY_BYTES", default=2 * 2**30)
COMPILE_CPU_SECONDS = env.int("VECTORLESS_COMPILE_CPU_SECONDS", default=600)
COMPILE_TIMEOUT_SECONDS = env.int("VECTORLESS_COMPILE_TIMEOUT_SECONDS", default=900)
COMPILE_MAX_PAGES = env.int("VECTORLESS_COMPILE_MAX_PAGES", default=10_000)
COMPILE_LEASE_SECONDS = env.int("VECTORLESS_COMPILE_LEASE_SECONDS", default=30)
RUN_LEASE_SECONDS = env.int("VECTORLESS_RUN_LEASE_SECONDS", default=15)
RUN_ATTEMPTS = env.int("VECTORLESS_RUN_ATTEMPTS", default=3)
BUILT_IN_ENGINE = "vectorless_web.wiring.build_engine"
ENGINE_FACTORY = env.str("VECTORLESS_ENGINE_FACTORY", default=BUILT_IN_ENGINE)
"""Dotted path of the function that builds the engine for a run."""

CACHE_ROOT = VAR / "cache"
"""Copies of artefacts and page images; safe to delete at any time."""
RENDER_CACHE_BYTES = env.int("VECTORLESS_RENDER_CACHE_BYTES", default=2 * 2**30)
RENDER_MEMORY_BYTES = env.int("VECTORLESS_RENDER_MEMORY_BYTES", default=2**30)
RENDER_SOCKET = SOCKETS / "render.sock"
RENDER_WORKERS = env.int("VECTORLESS_RENDER_WORKERS", default=3)
RENDER_SECONDS = env.int("VECTORLESS_RENDER_SECONDS", default=10)

ENCRYPTION_KEY = env.str("VECTORLESS_ENCRYPTION_KEY", default="") or SECRET_KEY
"""Encrypts providers' keys at rest. Changing it makes stored keys unreadable; they must be entered again."""
ALLOW_PRIVATE_MODEL_HOSTS = env.bool("VECTORLESS_ALLOW_PRIVATE_MODEL_HOSTS", default=True)
"""Whether a workspace's provider may be on this machine or a private network (Ollama, vLLM)."""

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": env.str("VECTORLESS_LOG_LEVEL", default="WARNING")},
    "loggers": {"vectorless_web": {"level": env.str("VECTORLESS_LOG_LEVEL", default="INFO")}},
}
