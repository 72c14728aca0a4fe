#!/bin/sh
# What the workflow tests: it asks a database, and prints a report.
set -eu
printf 'sold: '
sqlite3 shop.db <<'SQL'
select sum(price) from sale;
SQL
printf 'best customer: '
sqlite3 shop.db <<'SQL'
select customer from sale group by customer order by sum(price) desc limit 1;
SQL
