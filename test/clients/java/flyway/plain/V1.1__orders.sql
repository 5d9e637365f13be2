CREATE TABLE purchase (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  customer_id INT NOT NULL,
  total DECIMAL(10,2) NOT NULL DEFAULT 0.00,
  CONSTRAINT of_customer FOREIGN KEY (customer_id) REFERENCES customer (id)
);
ALTER TABLE customer ADD COLUMN email VARCHAR(100) NULL, ADD UNIQUE INDEX by_email (email);
UPDATE customer SET email = CONCAT(LOWER(LEFT(name, 3)), '@example.com');
INSERT INTO purchase (customer_id, total) SELECT id, id * 10 FROM customer;
