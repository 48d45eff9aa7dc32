-- Saved views are kept by the search room, for every list.

drop table saved_views;
