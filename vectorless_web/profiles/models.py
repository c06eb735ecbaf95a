"""What people set for themselves, beyond the columns of Django's accounts."""

from django.conf import settings
from django.db import models

from vectorless_web.workspaces.models import Role, Workspace


class Profile(models.Model):
    """How pages are shown to one person. An account without a row has the site's own choices."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="profile")
    time_zone = models.CharField(max_length=64, blank=True)
    """A name of the IANA database, such as "Europe/Berlin"; "" is the site's own zone."""

    def __str__(self) -> str:
        return f"profile of {self.user}"


class SignOnProvider(models.Model):
    """An identity provider (OpenID Connect) that administrators set in the console, beside those of the settings."""

    key = models.SlugField("short name", max_length=40, unique=True)
    """Its name in addresses; accounts are tied to it by this."""
    name = models.CharField("name on the button", max_length=80)
    issuer = models.URLField("issuer", max_length=300)
    client = models.CharField("client", max_length=200)
    encrypted_secret = models.TextField(blank=True, editable=False)
    workspace = models.ForeignKey(Workspace, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    """The workspace that people with an address at `domain`, or in `group` there, join at their first sign-in."""
    domain = models.CharField("for addresses at", max_length=253, blank=True)
    group = models.CharField("for people of its group", max_length=200, blank=True)
    role = models.CharField("as", max_length=10, choices=Role.choices, default=Role.MEMBER)
    enabled = models.BooleanField("in use", default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    @property
    def has_secret(self) -> bool:
        """Whether a secret is stored; the secret itself is never shown."""
        return bool(self.encrypted_secret)


class Portrait(models.Model):
    """A person's picture, as the render child drew it of what was uploaded. Without one, initials stand for them."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    jpeg = models.BinaryField()
    digest = models.CharField(max_length=16)
    """The first digits of its SHA-256: in its address, so that browsers keep one picture and fetch another."""

    def __str__(self) -> str:
        return f"picture of {self.user}"
