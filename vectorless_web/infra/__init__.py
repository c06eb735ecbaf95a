"""Django glue that knows no app: jobs, live notifications, problems, htmx, health, and the process supervisor."""
