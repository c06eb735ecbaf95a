"""Addresses of documents: the list, acts, the reader, page images, and the socket."""

from django.urls import path

from vectorless_web.documents.live.consumers import DocumentsConsumer
from vectorless_web.documents.views import changes, listing, pieces, reader, settings, tables

app_name = "documents"

LIST = "w/<slug:slug>/documents/"
ONE = f"{LIST}<int:pk>/"
SUMMARIES = "w/<slug:slug>/settings/models/summaries/"
FOLDERS = "w/<slug:slug>/settings/folders/"
MEANING = "w/<slug:slug>/settings/models/meaning/"

urlpatterns = [
    path(LIST, listing.list_documents, name="list"),
    path(f"{LIST}upload/", listing.upload, name="upload"),
    path(f"{LIST}upload/same-name/", listing.settle_same_name, name="settle_same_name"),
    path(f"{LIST}upload/begin/", pieces.begin, name="begin_upload"),
    path(f"{LIST}upload/<int:pk>/add/", pieces.add, name="add_to_upload"),
    path(f"{LIST}upload/<int:pk>/cancel/", pieces.cancel, name="cancel_upload"),
    path(f"{LIST}folders/new/", listing.new_folder, name="new_folder"),
    path(f"{LIST}folders/<int:pk>/rename/", listing.rename_folder, name="rename_folder"),
    path(f"{LIST}folders/<int:pk>/delete/", listing.delete_folder, name="delete_folder"),
    path(f"{LIST}move/", listing.move_many, name="move_many"),
    path(f"{LIST}tag/", listing.tag_many, name="tag_many"),
    path(f"{LIST}delete/", listing.delete_many, name="delete_many"),
    path(f"{LIST}restore/", listing.restore_many, name="restore_many"),
    path(ONE, reader.detail, name="detail"),
    path(f"{ONE}pages/<int:page>/", reader.page, name="page"),
    path(f"{ONE}v<int:number>/pages/<int:page>.jpg", reader.image, name="page_image"),
    path(f"{ONE}v<int:number>/pages/<int:page>/words/", reader.words, name="page_words"),
    path(f"{ONE}v<int:number>/figures/<int:key>.jpg", reader.figure, name="figure"),
    path(f"{ONE}tables/<int:key>/", tables.show, name="table"),
    path(f"{ONE}tables/<int:key>.csv", tables.download, name="table_csv"),
    path(f"{ONE}changes/", changes.show, name="changes"),
    path(f"{ONE}original/", reader.original, name="original"),
    path(f"{ONE}markdown/", reader.markdown, name="markdown"),
    path(f"{ONE}outline/", reader.outline, name="outline"),
    path(f"{ONE}outline/correct/", reader.correct, name="correct"),
    path(f"{ONE}outline/apply/", reader.apply, name="apply_corrections"),
    path(f"{ONE}outline/discard/", reader.discard, name="discard_corrections"),
    path(f"{ONE}version/", listing.new_version, name="new_version"),
    path(f"{ONE}rename/", listing.rename, name="rename"),
    path(f"{ONE}retry/", listing.retry, name="retry"),
    path(f"{ONE}cancel/", listing.cancel, name="cancel"),
    path(f"{ONE}delete/", listing.delete, name="delete"),
    path(f"{ONE}restore/", listing.restore, name="restore"),
    path(FOLDERS, settings.folders, name="folder_access"),
    path(f"{FOLDERS}<int:pk>/", settings.folder, name="folder_access_one"),
    path(f"{FOLDERS}<int:pk>/restrict/", settings.restrict, name="restrict_folder"),
    path(f"{FOLDERS}<int:pk>/open/", settings.open_to_all, name="open_folder"),
    path(MEANING, settings.embedding, name="embedding"),
    path(f"{MEANING}status/", settings.embedding_status, name="embedding_status"),
    path(f"{MEANING}choose/", settings.choose_embedding, name="choose_embedding"),
    path(f"{MEANING}on/", settings.switch_embedding_on, name="switch_embedding_on"),
    path(f"{MEANING}off/", settings.switch_embedding_off, name="switch_embedding_off"),
    path(f"{MEANING}retry/", settings.retry_embedding, name="retry_embedding"),
    path(f"{MEANING}test/", settings.test_embedding, name="test_embedding"),
    path(f"{MEANING}remove/", settings.remove_embedding, name="remove_embedding"),
    path(SUMMARIES, settings.summaries, name="summaries"),
    path(f"{SUMMARIES}status/", settings.summaries_status, name="summaries_status"),
    path(f"{SUMMARIES}on/", settings.switch_summaries_on, name="switch_summaries_on"),
    path(f"{SUMMARIES}off/", settings.switch_summaries_off, name="switch_summaries_off"),
    path(f"{SUMMARIES}retry/", settings.retry_summaries, name="retry_summaries"),
]

websocket_urlpatterns = [path(f"ws/{LIST}", DocumentsConsumer.as_asgi())]
