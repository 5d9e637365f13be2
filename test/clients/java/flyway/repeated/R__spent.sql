CREATE OR REPLACE VIEW spent AS SELECT c.name, SUM(p.total) AS total FROM customer c JOIN purchase p ON p.customer_id = c.id GROUP BY c.name;
