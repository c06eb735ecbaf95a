"""Settings, all from the environment; with none given, everything runs on one machine under `var/`."""

import os
from pathlib import Path

import environ

from vectorless_web.engine.llm.capability import model_address
from vectorless_web.infra.addresses import LOOPBACK, allowed_hosts
from vectorless_web.infra.site.identity import read_sign_on
from vectorless_web.infra.site.private_files import Unusable, local_secret, refuse_weak_secret, socket_folder

env = environ.Env()
BASE_DIR = Path(__file__).resolve().parent.parent
VAR = Path(env.str("VECTORLESS_VAR", default=str(BASE_DIR / "var")))
UMASK = int(env.str("VECTORLESS_UMASK", default="077"), 8)
"""Permissions that nothing written by the site has: none for anybody but its own user. 027 lets its group read."""
os.umask(UMASK)
VAR.mkdir(parents=True, exist_ok=True)


def _has_data() -> bool:
    """Whether this installation has rows or files already."""
    database = VAR / "db.sqlite3"
    rows = bool(env.str("DATABASE_URL", default="")) or (database.exists() and database.stat().st_size > 0)
    return rows or any((VAR / "media").glob("*"))


DEBUG = env.bool("DEBUG", default=False)
HTTPS = env.bool("VECTORLESS_HTTPS", default=False)
"""Set when the site is served over HTTPS: cookies and headers then insist on it."""

SECRET_KEY = env.str("SECRET_KEY", default="")
try:
    if SECRET_KEY and not DEBUG:
        refuse_weak_secret(SECRET_KEY)
    SOCKETS = socket_folder(VAR, env.str("VECTORLESS_SOCKETS", default=""))
    if env.str("VECTORLESS_STORAGE", default="") and not SECRET_KEY:
        raise Unusable(
            "VECTORLESS_STORAGE is for several machines, and each would make a secret of its own. "
            "Set SECRET_KEY, the same everywhere: openssl rand -hex 32"
        )
    SECRET_KEY = SECRET_KEY or local_secret(VAR / "secret_key", depended_on=_has_data())
except (Unusable, OSError) as error:
    raise SystemExit(str(error)) from None
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
    "allauth.usersessions",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "csp",
    "ninja",
    "vectorless_web.infra",
    "vectorless_web.notices",
    "vectorless_web.workspaces",
    "vectorless_web.documents",
    "vectorless_web.sources",
    "vectorless_web.runs",
    "vectorless_web.sharing",
    "vectorless_web.grids",
    "vectorless_web.evaluations",
    "vectorless_web.profiles",
    "vectorless_web.backups",
    "vectorless_web.console",
    "vectorless_web.api",
]

MIDDLEWARE = [
    "vectorless_web.infra.site.log_lines.RequestIdMiddleware",
    "vectorless_web.infra.web.health.HealthMiddleware",
    "vectorless_web.infra.web.request_limits.RequestNetworkMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "vectorless_web.infra.web.pages.PrivatePagesMiddleware",
    "vectorless_web.infra.web.sign_in.SignInMiddleware",
    "vectorless_web.profiles.sessions.OwnSessionMiddleware",
    "vectorless_web.profiles.sign_on.SignOnPagesMiddleware",
    "vectorless_web.profiles.sign_on.TwoStepMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "vectorless_web.console.views.read_only.ReadOnlyMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "vectorless_web.infra.web.problems.ProblemMiddleware",
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
                "vectorless_web.infra.web.pages.csp_nonce",
                "vectorless_web.infra.web.pages.common",
                "vectorless_web.profiles.sign_on.show_providers",
                "vectorless_web.notices.selectors.bell",
                "vectorless_web.console.views.read_only.tell_of_site",
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
else:
    # A server that accepts connections and never answers must not hold a page for ever.
    DATABASES["default"].setdefault("OPTIONS", {}).setdefault("connect_timeout", 5)
OUTAGE_SECONDS = env.float("VECTORLESS_OUTAGE_SECONDS", default=90.0)
"""How long work that is under way waits in its place for a database or storage that is away."""
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

BACKUPS = env.str("VECTORLESS_BACKUPS", default=str(VAR / "backups"))
"""The folder of backups that the console and the schedule make and verify, or an object store ("s3://bucket/folder")."""
BACKUP_HOURS = env.float("VECTORLESS_BACKUP_HOURS", default=0.0)
"""Hours between two backups that are made by themselves; 0 for none."""
BACKUP_KEEP = env.int("VECTORLESS_BACKUP_KEEP", default=14)
"""The newest backups that stay when one is made by itself; 0 for all."""
BACKUP_DRILL_DAYS = env.float("VECTORLESS_BACKUP_DRILL_DAYS", default=7.0)
"""Days after which the newest backup is tried by itself again, where backups are made by themselves."""
PG_DUMP = env.str("VECTORLESS_PG_DUMP", default="")
"""Path of the pg_dump that backups use; without it, one that suits the server is looked for."""

MEDIA_ROOT = VAR / "media"
FILE_UPLOAD_PERMISSIONS = 0o666 & ~UMASK
FILE_UPLOAD_DIRECTORY_PERMISSIONS = 0o777 & ~UMASK
STATIC_ROOT = VAR / "static"
STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGE_URL = env.str("VECTORLESS_STORAGE", default="")
"""An object store's bucket and a folder in it that hold uploads and compiled files, in place of a folder of this
machine; credentials come from the environment."""
STORAGES = {
    "default": {
        "BACKEND": "vectorless_web.infra.site.object_storage.ObjectStorage",
        "OPTIONS": {"url": STORAGE_URL, "seconds": env.float("VECTORLESS_STORAGE_SECONDS", default=30.0)},
    }
    if STORAGE_URL
    else {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": env.str("VECTORLESS_STATIC", default="whitenoise.storage.CompressedManifestStaticFilesStorage")
    },
}
WHITENOISE_ALLOW_ALL_ORIGINS = False

# -- Redis: queues, notifications, cache -----------------------------------------------------------------------------

EMBEDDED_REDIS = not env.str("REDIS_URL", default="")
REDIS_SOCKET = SOCKETS / "redis.sock"
REDIS_URL = env.str("REDIS_URL", default="") or f"unix://{REDIS_SOCKET}?db=0"

REDIS_SECONDS = env.float("VECTORLESS_REDIS_SECONDS", default=1.0)
"""How long a page or a job waits for one answer of Redis. A worker that waits for jobs lifts it for itself."""
_limits = f"socket_timeout={REDIS_SECONDS}&socket_connect_timeout={REDIS_SECONDS}"
_bounded_redis = f"{REDIS_URL}{'&' if '?' in REDIS_URL else '?'}{_limits}"

RQ_QUEUES = {
    "runs": {"URL": _bounded_redis, "DEFAULT_TIMEOUT": 900},
    "documents": {"URL": _bounded_redis, "DEFAULT_TIMEOUT": 1800},
    "long": {"URL": _bounded_redis, "DEFAULT_TIMEOUT": 7200},
    "background": {"URL": _bounded_redis, "DEFAULT_TIMEOUT": 900},
    "backups": {"URL": _bounded_redis, "DEFAULT_TIMEOUT": 7200},
}
RQ = {"COMMIT_MODE": "auto"}  # infra.queues.jobs enqueues after the commit by itself.
WORKER_PRELOAD = {
    "runs": ["vectorless_web.runs.jobs", "vectorless_web.providers.openai_chat"],
    "background": [
        *("vectorless_web.runs.jobs", "vectorless_web.providers.openai_chat", "vectorless_web.sources.jobs"),
        *("vectorless_web.grids.services", "vectorless_web.evaluations.jobs"),
    ],
    "documents": ["vectorless_web.documents.jobs"],
    "long": ["vectorless_web.documents.jobs", "vectorless_web.backups.jobs"],
    "backups": ["vectorless_web.console.jobs"],
}
"""Modules a worker imports before it forks, so that a job's fork costs no import."""
_COMPILER = "vectorless_web.documents.compiling.process.prepare_children"
WORKER_BEGIN = {
    "documents": [_COMPILER],
    "background": ["vectorless_web.infra.queues.jobs.work_behind_others"],
}
"""What a worker calls once before its first job. Long documents take minutes, and start their child by themselves."""
WORKER_GOES_ON = {"documents": 10.0}
"""Seconds for which a fork of a worker takes further jobs of its queue: a short document takes half as much of a
processor then. Twice of it gains nothing more; a fork's memory goes with it."""
READ_ONLY_QUEUES = ("backups",)
"""Queues whose jobs workers take while the site is read-only."""
TIDYING = (
    "vectorless_web.console.subjects.usage.count_usage",
    "vectorless_web.console.subjects.retention.remove_expired",
    "vectorless_web.workspaces.services.purge_workspaces",
    "vectorless_web.workspaces.services.purge_providers",
    "vectorless_web.runs.services.purge_removed_runs",
    "vectorless_web.sharing.services.tell_of_expiring_links",
    "vectorless_web.notices.services.tidy_notices",
    "vectorless_web.api.services.tidy_replies",
    "vectorless_web.api.webhooks.services.tidy_deliveries",
    "vectorless_web.evaluations.services.evaluate_on_schedule",
    "vectorless_web.console.subjects.maintenance.back_up_on_schedule",
    "vectorless_web.backups.services.tidy_exports",
)
"""What the sweep calls every hour besides its own acts, from apps above it: each says how many rows it touched."""
SWEEPING = (
    "vectorless_web.console.subjects.stream.stream_events",
    "vectorless_web.api.webhooks.services.queue_due",
    "vectorless_web.sources.services.queue_due",
    "vectorless_web.grids.services.follow_documents",
    "vectorless_web.evaluations.services.recover_evaluations",
)
"""What the sweep calls at every pass besides its own acts, likewise."""
RUN_ENDED = {
    "cell": "vectorless_web.grids.services.take_end",
    "evaluation": "vectorless_web.evaluations.services.take_end",
}
"""Who is told in the same transaction that a run has ended which no person asked, by the purpose of the run."""
DEMO_PARTS = ("vectorless_web.grids.demo.make_demo_grid",)
"""What `load_demo` calls last, from apps above it, with the demo's workspace and its owner."""
LISTENERS = ("vectorless_web.api.webhooks.services.note_event",)
"""What is told of events in workspaces (infra.happenings), from apps above those in which they happen."""
NOTICE_READERS = {
    "run_ended": "vectorless_web.runs.selectors.read_notices",
    "mentioned": "vectorless_web.runs.selectors.read_notices",
    "commented": "vectorless_web.runs.selectors.read_notices",
    "verified": "vectorless_web.runs.selectors.read_notices",
    "document_failed": "vectorless_web.documents.selectors.read_notices",
    "budget": "vectorless_web.workspaces.selectors.read_notices",
    "invitation_accepted": "vectorless_web.workspaces.selectors.read_notices",
    "role_changed": "vectorless_web.workspaces.selectors.read_notices",
    "link_expiring": "vectorless_web.sharing.services.read_notices",
    "webhook_off": "vectorless_web.api.webhooks.services.read_notices",
    "evaluation_worse": "vectorless_web.evaluations.selectors.read_notices",
    "source_failed": "vectorless_web.sources.selectors.read_notices",
    "export_ended": "vectorless_web.backups.selectors.read_notices",
}
"""What says, of each kind of notice, what it may still tell its reader: a function of the app that it belongs to."""
WORKER_HAND_BACK = {
    "vectorless_web.runs.jobs.execute_run": "vectorless_web.runs.jobs.hand_back_run",
    "vectorless_web.runs.jobs.execute_turn": "vectorless_web.runs.jobs.hand_back_run",
    "vectorless_web.documents.jobs.compile_version": "vectorless_web.documents.jobs.hand_back_version",
}
"""What a worker that is stopped calls, with the job's arguments, for a job that it had to end."""

CHANNEL_LAYERS = {
    "default": {
        "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
        # redis-py gives up on an idle socket after 5 s by default, which would close every quiet websocket.
        "CONFIG": {
            "hosts": [{"address": REDIS_URL, "socket_timeout": 30, "socket_connect_timeout": REDIS_SECONDS}],
            "prefix": "vectorless",
        },
    }
}
CACHES = {
    "default": {"BACKEND": "vectorless_web.infra.site.patient_redis.PatientRedisCache", "LOCATION": _bounded_redis}
}

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
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
    {"NAME": "vectorless_web.workspaces.accounts.adapters.VariedPasswordValidator"},
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
ACCOUNT_LOGIN_METHODS = {"email", "username"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "username*", "password1*"]
ACCOUNT_EMAIL_VERIFICATION = env.str("VECTORLESS_EMAIL_VERIFICATION", default="none")
ACCOUNT_LOGOUT_ON_GET = False
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_ADAPTER = "vectorless_web.workspaces.accounts.adapters.AccountAdapter"
ACCOUNT_RATE_LIMITS = {"login": "600/m/ip"}
"""Sign-ins from one address, right or wrong: an office of 200 behind one address begins at nine. Guessing is held back
by limits for each account and each address of their own (`workspaces/accounts/adapters.py`)."""
ACCOUNT_FORMS = {"reset_password": "vectorless_web.workspaces.accounts.adapters.ResetPasswordForm"}
SIGNUP_OPEN = env.bool("VECTORLESS_SIGN_UP", default=False)
"""Whether anyone may make an account; an invitation link always lets its holder in."""
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = not HTTPS
"""Browsers offer passkeys over HTTPS and on localhost only; the latter is served over plain HTTP."""
MFA_ADAPTER = "vectorless_web.workspaces.accounts.adapters.MFAAdapter"
try:
    SIGN_ON = read_sign_on(env.str("VECTORLESS_SIGN_ON", default=""))
except ValueError as error:
    raise SystemExit(str(error)) from None
"""Identity providers that people may sign in with, and which workspaces they join by themselves."""
SIGN_ON_LOOPBACK = env.bool("VECTORLESS_SIGN_ON_LOOPBACK", default=False)
"""Whether the console takes an identity provider of this machine over plain HTTP: for trying sign-on out."""
LOCAL_PASSWORDS = env.bool("VECTORLESS_LOCAL_PASSWORDS", default=True)
"""Whether passwords of this site sign in. Superusers keep theirs, for the day the identity provider is away."""
if not LOCAL_PASSWORDS and not SIGN_ON:
    raise SystemExit(
        "VECTORLESS_LOCAL_PASSWORDS is off, and VECTORLESS_SIGN_ON names no identity provider to sign in with."
    )
SOCIALACCOUNT_ADAPTER = "vectorless_web.profiles.sign_on.SignOnAdapter"
SOCIALACCOUNT_PROVIDERS = {"openid_connect": {"OAUTH_PKCE_ENABLED": True, "APPS": [each.app for each in SIGN_ON]}}
SOCIALACCOUNT_EMAIL_AUTHENTICATION = True
SOCIALACCOUNT_EMAIL_AUTHENTICATION_AUTO_CONNECT = True
"""An address that the provider has verified stands for the account that has confirmed the same address here."""
SOCIALACCOUNT_EMAIL_VERIFICATION = "none"
SOCIALACCOUNT_STORE_TOKENS = False
_mail = env.email("EMAIL_URL", default="consolemail://")
EMAIL_BACKEND = _mail["EMAIL_BACKEND"]
MAIL_ON = not EMAIL_BACKEND.endswith((".console.EmailBackend", ".dummy.EmailBackend"))
"""Whether mails reach people. While they do not, no address can be proved and no password reset by mail."""
MFA_ALLOW_UNVERIFIED_EMAIL = not MAIL_ON
EMAIL_HOST, EMAIL_PORT = _mail.get("EMAIL_HOST") or "localhost", _mail.get("EMAIL_PORT") or 25
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = _mail.get("EMAIL_HOST_USER") or "", _mail.get("EMAIL_HOST_PASSWORD") or ""
EMAIL_USE_TLS, EMAIL_USE_SSL = _mail.get("EMAIL_USE_TLS", False), _mail.get("EMAIL_USE_SSL", False)
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
PASSWORD_RESET_TIMEOUT = 3600
"""How long a link with which a password is chosen anew works, in seconds: mailed, or made by an administrator."""
EMAIL_TIMEOUT = 20
"""Seconds that a mail server may be silent."""
SITE_ADDRESS = env.str("VECTORLESS_ADDRESS", default="")
"""Where people find this site, for links in mails that no request asked for: "https://docs.example.com"."""
DEFAULT_FROM_EMAIL = env.str("VECTORLESS_MAIL_FROM", default="vectorless@localhost")

PROXIES = env.int("VECTORLESS_PROXIES", default=0)
"""How many proxies of our own stand in front; so many entries of X-Forwarded-For are believed."""

SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SESSION_COOKIE_HTTPONLY = True
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
"""Whether the domain's other hosts are on HTTPS only, and for ever, is said by who runs the domain: in the proxy."""
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
LANGUAGES = [("en", "English")]
"""Those that there is a catalogue for. A page in another one would say so in `lang` and be in English all the same."""
USE_I18N = len(LANGUAGES) > 1
"""With one language there is no catalogue to look into, which a page would do some hundred times."""
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
SUMMARY_CAP = env.int("VECTORLESS_SUMMARY_CAP", default=8192)
"""Characters of a node's text and of its context that the Retriever packs at most; a workspace may set its own."""
MODEL_PICTURES = env.bool("VECTORLESS_MODEL_PICTURES", default=False)
"""Whether VECTORLESS_MODEL reads pictures and may be shown pages so."""

AUDIT_STREAM = env.str("VECTORLESS_AUDIT_STREAM", default="")
"""Where each event of the record is sent besides: a file, or a syslog."""
KEEP_DAYS = {
    "calls": env.int("VECTORLESS_KEEP_CALLS_DAYS", default=0),
    "runs": env.int("VECTORLESS_KEEP_RUNS_DAYS", default=0),
    "bin": env.int("VECTORLESS_KEEP_BIN_DAYS", default=30),
    "views": env.int("VECTORLESS_KEEP_VIEWS_DAYS", default=0),
    "pictures": env.int("VECTORLESS_KEEP_PICTURES_DAYS", default=0),
    "audit": env.int("VECTORLESS_KEEP_AUDIT_DAYS", default=0),
}
"""Days that things of each kind are kept, unless staff set another time in the console; 0 is for ever."""

UPLOAD_MAX_BYTES = env.int("VECTORLESS_UPLOAD_MAX_BYTES", default=200 * 2**20)
UPLOAD_KEPT_HOURS = env.float("VECTORLESS_UPLOAD_KEPT_HOURS", default=24.0)
"""How long what has arrived of a large file is kept for its upload to go on."""
WORKSPACE_MAX_BYTES = env.int("VECTORLESS_WORKSPACE_MAX_BYTES", default=0)
ARCHIVE_MAX_FILES = env.int("VECTORLESS_ARCHIVE_MAX_FILES", default=500)
"""Files taken out of one archive or message."""
ARCHIVE_MAX_BYTES = env.int("VECTORLESS_ARCHIVE_MAX_BYTES", default=2**30)
"""Bytes of all of them together, unpacked."""
UPLOAD_MAX_FILES = env.int("VECTORLESS_UPLOAD_MAX_FILES", default=100)
REQUEST_MAX_BYTES = env.int("VECTORLESS_REQUEST_MAX_BYTES", default=2 * UPLOAD_MAX_BYTES + 2**20)
"""The whole body of one request of somebody who is signed in: one largest file and about as much again beside it."""
API_PER_MINUTE = env.int("VECTORLESS_API_PER_MINUTE", default=600)
"""Requests that one API token may make in a minute."""
SENDER_BY_BEARER = "vectorless_web.api.authentication.find_token"
"""What knows the sender of a large body by its bearer token."""
REQUEST_SECONDS = env.float("VECTORLESS_REQUEST_SECONDS", default=20.0)
"""The head of a request must be here within this time, and its body may pause as long."""
CONNECTIONS = env.int("VECTORLESS_CONNECTIONS", default=2000)
CONNECTIONS_PER_ADDRESS = env.int("VECTORLESS_CONNECTIONS_PER_ADDRESS", default=200)
"""HTTP connections open at a time in one web process, websockets not counted; 0 is no limit for an address."""
UPLOADS_PER_HOUR = env.int("VECTORLESS_UPLOADS_PER_HOUR", default=5000)
"""Files that one person may upload in an hour."""
ASKS_PER_HOUR = env.int("VECTORLESS_ASKS_PER_HOUR", default=300)
"""Questions that one person may ask in an hour, one every 12 seconds without a pause; 0 for any number."""
WAITING_RUNS_PER_PERSON = env.int("VECTORLESS_WAITING_RUNS_PER_PERSON", default=50)
WAITING_RUNS_PER_WORKSPACE = env.int("VECTORLESS_WAITING_RUNS_PER_WORKSPACE", default=500)
"""Questions that may wait for a worker at a time; 0 for any number."""
CELLS_AT_ONCE = env.int("VECTORLESS_CELLS_AT_ONCE", default=8)
"""Cells of one grid that have a run at a time; the others wait without one."""
REPLAYS_PER_HOUR = env.int("VECTORLESS_REPLAYS_PER_HOUR", default=60)
"""Runs that one person may have replayed in an hour: each may take a worker two minutes."""
SHARE_REQUESTS_PER_MINUTE = env.int("VECTORLESS_SHARE_REQUESTS_PER_MINUTE", default=300)
"""Requests for shared runs and their pages from one address in a minute."""
DATA_UPLOAD_MAX_NUMBER_FILES = UPLOAD_MAX_FILES
DATA_UPLOAD_MAX_MEMORY_SIZE = 5 * 2**20
COMPILE_MEMORY_BYTES = env.int("VECTORLESS_COMPILE_MEMORY_BYTES", default=2 * 2**30)
COMPILE_CPU_SECONDS = env.int("VECTORLESS_COMPILE_CPU_SECONDS", default=600)
COMPILE_TIMEOUT_SECONDS = env.int("VECTORLESS_COMPILE_TIMEOUT_SECONDS", default=900)
COMPILE_READING_SECONDS = env.float("VECTORLESS_COMPILE_READING_SECONDS", default=3600.0)
"""For how long the pages of one file are read, text recognition included; those after them stay unread."""
COMPILE_FIRST_SECONDS = env.float("VECTORLESS_COMPILE_FIRST_SECONDS", default=60.0)
"""The same for a file that has just come: what takes longer is used as far as it was read, and the queue "long" reads
all of it, so that one file never holds up the others."""
COMPILE_MAX_PAGES = env.int("VECTORLESS_COMPILE_MAX_PAGES", default=10_000)
OCR_LANGUAGES = env.str("VECTORLESS_OCR_LANGUAGES", default="eng")
OCR_PAGES = env.int("VECTORLESS_OCR_PAGES", default=2_000)
"""Pages of a file that are read by text recognition; 0 switches it off."""
OCR_SECONDS = env.float("VECTORLESS_OCR_SECONDS", default=60.0)
COMPILE_LEASE_SECONDS = env.int("VECTORLESS_COMPILE_LEASE_SECONDS", default=30)
STOP_SECONDS = env.float("VECTORLESS_STOP_SECONDS", default=20.0)
"""How long requests, runs and uploads that are under way when the site is stopped may take to end by themselves."""
RUN_LEASE_SECONDS = env.int("VECTORLESS_RUN_LEASE_SECONDS", default=15)
RUN_ATTEMPTS = env.int("VECTORLESS_RUN_ATTEMPTS", default=3)
BUILT_IN_ENGINE = "vectorless_web.wiring.build_engine"
ENGINE_FACTORY = env.str("VECTORLESS_ENGINE_FACTORY", default=BUILT_IN_ENGINE)
"""Dotted path of the function that builds the engine for a run."""

CACHE_ROOT = VAR / "cache"
"""Copies of artefacts and page images; safe to delete at any time."""
FILE_CACHE_BYTES = env.int("VECTORLESS_FILE_CACHE_BYTES", default=4 * 2**30)
"""Of this machine's copies of files of an object store."""
RENDER_CACHE_BYTES = env.int("VECTORLESS_RENDER_CACHE_BYTES", default=2 * 2**30)
RENDER_MEMORY_BYTES = env.int("VECTORLESS_RENDER_MEMORY_BYTES", default=2**30)
RENDER_SOCKET = SOCKETS / "render.sock"
RENDER_WORKERS = env.int("VECTORLESS_RENDER_WORKERS", default=3)
RENDER_SECONDS = env.int("VECTORLESS_RENDER_SECONDS", default=10)

ENCRYPTION_KEY = env.str("VECTORLESS_ENCRYPTION_KEY", default="") or SECRET_KEY
"""Encrypts providers' keys and secrets of two-step sign-in at rest; under another key neither can be read."""
try:
    ALLOW_PRIVATE_MODEL_HOSTS = allowed_hosts(env.str("VECTORLESS_ALLOW_PRIVATE_MODEL_HOSTS", default=LOOPBACK))
    ALLOW_PRIVATE_WEBHOOK_HOSTS = allowed_hosts(env.str("VECTORLESS_ALLOW_PRIVATE_WEBHOOK_HOSTS", default=""))
    ALLOW_PRIVATE_SOURCE_HOSTS = allowed_hosts(env.str("VECTORLESS_ALLOW_PRIVATE_SOURCE_HOSTS", default=""))
except ValueError as error:
    raise SystemExit(f"VECTORLESS_ALLOW_PRIVATE_..._HOSTS: {error}") from None
"""Which private addresses a workspace's provider, webhook or source may have: all (True), none (False), or these hosts
and networks."""
SOURCE_FOLDERS = [folder for folder in env.str("VECTORLESS_SOURCE_FOLDERS", default="").split(os.pathsep) if folder]
"""Folders of this machine below which documents may come from by themselves."""
MODEL_PORTS = [int(port) for port in env.list("VECTORLESS_MODEL_PORTS", default=["11434", "1234", "8080", "8000"])]
"""Ports of this machine at which owners may look for a model: those of Ollama, LM Studio, llama.cpp and vLLM."""
MODEL_TRIES_PER_HOUR = env.int("VECTORLESS_MODEL_TRIES_PER_HOUR", default=30)
"""How often one person may have models tried in an hour."""

METRICS_TOKEN = env.str("VECTORLESS_METRICS_TOKEN", default="")
"""Opens /metrics to requests with it as their bearer token; without one there is no such page."""
SLOW_QUERY_MS = env.float("VECTORLESS_SLOW_QUERY_MS", default=0.0)
"""Queries that take longer are written to the log; 0 for none."""
SENTRY_DSN = env.str("VECTORLESS_SENTRY_DSN", default="")
"""Where unexpected errors are sent to; nowhere without it."""
TRACES = env.bool("VECTORLESS_TRACES", default=False)
"""Whether OpenTelemetry traces what processes do; its own variables (OTEL_...) say where to."""
LOG_FORMATS = {"text": "LineFormatter", "json": "JsonFormatter"}
LOG_FORMAT = env.str("VECTORLESS_LOG_FORMAT", default="text")
if LOG_FORMAT not in LOG_FORMATS:
    raise SystemExit(f"VECTORLESS_LOG_FORMAT is {LOG_FORMAT!r}; it may be {' or '.join(LOG_FORMATS)}.")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {
            "()": f"vectorless_web.infra.site.log_lines.{LOG_FORMATS[LOG_FORMAT]}",
            "format": "%(asctime)s %(levelname)s %(name)s %(message)s",
        }
    },
    "filters": {"one_line_refusals": {"()": "vectorless_web.infra.site.log_lines.OneLineRefusals"}},
    "handlers": {
        "stderr": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["one_line_refusals"]},
    },
    "root": {"handlers": ["stderr"], "level": env.str("VECTORLESS_LOG_LEVEL", default="WARNING")},
    "loggers": {"vectorless_web": {"level": env.str("VECTORLESS_LOG_LEVEL", default="INFO")}},
}
