"""What people set for themselves, beyond the columns of Django's accounts."""

from django.conf import settings
from django.db import models


class Profile(models.Model):
    """How pages are shown to one person. An account without a row has the site's own choices."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="profile")
    time_zone = models.CharField(max_length=64, blank=True)
    """A name of the IANA database, such as "Europe/Berlin"; "" is the site's own zone."""

    def __str__(self) -> str:
        return f"profile of {self.user}"


class Portrait(models.Model):
    """A person's picture, as the render child drew it of what was uploaded. Without one, initials stand for them."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    jpeg = models.BinaryField()
    digest = models.CharField(max_length=16)
    """The first digits of its SHA-256: in its address, so that browsers keep one picture and fetch another."""

    def __str__(self) -> str:
        return f"picture of {self.user}"
