-- What the invited person held when the link was made, as `api:userAdd`: a link that somebody knew stops working when the account holds more.
-- None for links that were made before this was kept.
alter table activation_links add column held text[];
