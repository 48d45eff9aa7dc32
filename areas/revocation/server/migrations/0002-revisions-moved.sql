-- The count of status changes stands with the serials that it counts (serial_revisions), so that nothing can change one without the other.
drop table status_revisions;
