-- The number of the list of all models that a model came from, so that an older list does not take the place of a newer one.
alter table authenticator_models add column list_no integer;
