"""Django glue that knows no app: jobs, live hints, problems, htmx, health, and the process supervisor."""
