CREATE DATABASE shop;
USE shop;
SET time_zone = '+00:00';
CREATE TABLE metric (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, at DATETIME NOT NULL, epoch BIGINT NOT NULL, nanos BIGINT NOT NULL, host VARCHAR(40), value DOUBLE, tags VARCHAR(80), KEY by_at (at), KEY by_epoch (epoch), KEY by_nanos (nanos));
INSERT INTO metric (at, epoch, nanos, host, value, tags) VALUES
('2024-03-10 06:58:10', 1710053890, 1710053890000000001, 'a', 1, 'x,y'), ('2024-03-10 06:59:59', 1710053999, 1710053999000000002, 'b', 2.5, NULL),
('2024-03-10 07:00:00', 1710054000, 1710054000000000003, 'a', 4, 'y'), ('2024-03-10 07:04:59', 1710054299, 1710054299000000004, 'a', NULL, 'y'),
('2024-03-10 07:05:00', 1710054300, 1710054300000000005, 'b', -3, ''), ('2024-03-10 10:30:00', 1710066600, 1710066600000000006, NULL, 7, 'z'),
('2024-03-31 00:59:59', 1711846799, 1711846799000000007, 'a', 8, NULL), ('2024-03-31 01:00:00', 1711846800, 1711846800000000008, 'b', 9.25, NULL);
CREATE TABLE people (id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, name VARCHAR(60) NOT NULL, born DATE, latitude DECIMAL(9,6), source VARCHAR(20), details TEXT COMMENT 'as JSON', UNIQUE KEY by_name (name));
INSERT INTO people (name, born, latitude, source, details) VALUES ('Ann Low', '1970-01-31', 52.5, 'web', '{"city": "Berlin", "age": 54}'), ('Bob Higgs', '2000-02-29', -12.25, 'shop', '{"city": "Lima", "age": 24}'),
('Cy Moe', NULL, NULL, NULL, NULL), ('Zoë 100%', '1999-12-31', 0, 'web', '{}');
CREATE TABLE orders (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, person_id INT, created_at DATETIME NOT NULL, seen BIGINT, subtotal DECIMAL(10,2), tax DOUBLE, quantity INT, kind ENUM('gadget','gizmo','widget'), paid TINYINT(1) NOT NULL DEFAULT 0,
  KEY by_created (created_at), KEY of_person (person_id), CONSTRAINT of_person FOREIGN KEY (person_id) REFERENCES people (id));
INSERT INTO orders (person_id, created_at, seen, subtotal, tax, quantity, kind, paid) VALUES
(1, '2023-12-31 23:59:59', 1704067199000, 10.50, 0.5, 1, 'gadget', 1), (1, '2024-01-01 00:00:00', 1704067200000, 20, 1.25, 2, 'gizmo', 0), (2, '2024-01-07 15:04:05', 1704639845000, 30.25, NULL, 3, 'gadget', 1),
(2, '2024-02-29 08:00:00', 1709193600000, NULL, 2, NULL, NULL, 0), (3, '2024-03-10 06:59:59', 1710053999000, 5, 0.1, 5, 'widget', 1), (NULL, '2024-03-10 07:00:00', 1710054000000, 99.99, 8, 6, 'gizmo', 1),
(4, '2024-06-30 22:30:00', 1719786600000, 50, 4, 7, 'widget', 0), (4, '2024-12-30 12:00:00', 1735560000000, 60, 5, 8, 'gizmo', 1);
