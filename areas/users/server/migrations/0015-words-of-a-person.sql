-- A person's words, to look whether one of the next people of a list has a word that many have, and to write them anew.
create index user_words_by_user on user_words (tenant_id, user_id, word);
