-- An offered code ends after minutes: offered_at says since when it stands. One that was offered before this began is begun anew.

alter table code_secrets add column offered_at timestamptz;
