-- A hold can be ended: asked for and decided like a revocation, with the reason removeFromCRL.
alter table revocations drop constraint revocations_state_check, add constraint revocations_state_check check (state in ('pending', 'revoked', 'released', 'denied', 'cancelled', 'failed'));
