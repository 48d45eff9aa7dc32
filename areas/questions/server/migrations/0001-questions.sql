create table secret_questions (
  tenant_id uuid not null,
  user_id uuid not null,
  client_salt text not null,
  -- What is asked, in order, as JSON.
  questions text not null,
  -- argon2id in PHC form, of all answers together: nobody learns which of them was wrong.
  answers_hash text not null,
  version integer not null,
  set_at timestamptz not null,
  -- Wrong answers in a row.
  tries integer not null default 0,
  tried_at timestamptz,
  primary key (tenant_id, user_id)
);
select protect_tenant_table('secret_questions');

-- One link for a person: a newer one takes its place.
create table secret_question_links (
  tenant_id uuid not null,
  user_id uuid not null,
  token_hash text not null,
  made_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (tenant_id, user_id)
);
select protect_tenant_table('secret_question_links');
